// What a chip that is played by a test has of the test: see desk.c.
#ifndef ROKADE_BRIDGE_DESK_H
#define ROKADE_BRIDGE_DESK_H

#include "../../hardware/bridge/protocol.h"

// The time that the test says it is.
extern uint32_t desk_us;

// Says a line of a word and bytes.
void desk_print(const char *what, const void *bytes, unsigned n);
// The next line of the test's.
const char *desk_ask(void);
// Asks how a write ends, which is told of by a line before.
enum write_end desk_ask_end(void);
// Reads bytes. Returns how many.
unsigned desk_unhex(const char *text, unsigned char *bytes);

// Each chip has these. It was switched on.
void chip_begin(struct bridge *bridge);
// An order that only this chip knows. Returns 0 if it does not.
int chip_obey(const char *order);
// A frame is on the bus, for the host.
void chip_hear(const unsigned char *bytes, unsigned n);

#endif
