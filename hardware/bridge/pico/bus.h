// The I2C bus of the clock on an RP2040: one block is master, the other one target.
#ifndef ROKADE_BRIDGE_BUS_H
#define ROKADE_BRIDGE_BUS_H

#include "../protocol.h"

// Sets both blocks up. What is heard goes to `bridge`.
void bus_begin(struct bridge *bridge);
// Takes what was heard. To be called every 100 us or so: sixteen bytes wait, which take 1.5 ms.
void bus_listen(void);

#endif
