// A chip that does what it is told: it leaves to the test how a write ends.

#include "desk.h"

#include <stdio.h>

static struct bridge *listener;

enum write_end port_write(const uint8_t *frame, uint8_t n)
{
    desk_print("writes", frame, n);
    return desk_ask_end();
}

void port_listen(uint8_t address)
{
    desk_print("listens", &address, 1);
}

void port_reset(void)
{
    printf("resets\n");
}

void chip_begin(struct bridge *bridge)
{
    listener = bridge;
}

int chip_obey(const char *order)
{
    (void)order;
    return 0;
}

void chip_hear(const unsigned char *bytes, unsigned n)
{
    bridge_frame(listener, bytes, (uint8_t)n, desk_us);
}
