// A chip for hardware/bridge/protocol.c that is played by a test: orders come in on stdin, one a
// line, and what the bridge does goes out on stdout. What the chip is made of is in plain.c, or in
// pico.c, which knows more orders.
//
//   at US           it is now US microseconds later than when it was switched on
//   room N          the line to the host takes N more bytes; without it, as many as there are
//   host HEX        the host sends these bytes
//   bus HEX         a frame is heard, without its address byte
//   rest            the host closes the line
//
// The answer to each is any number of these lines, and an empty one:
//
//   says HEX        bytes for the host
//   writes HEX      a frame is written; the test answers ok, none, clash or stuck
//   listens HEX     it listens at this address
//   resets

#include "desk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint32_t desk_us;

static struct bridge bridge;
static long room = -1;

void desk_print(const char *what, const void *bytes, unsigned n)
{
    const unsigned char *at = bytes;
    printf("%s ", what);
    for (unsigned i = 0; i < n; i++) {
        printf("%02X", at[i]);
    }
    printf("\n");
}

const char *desk_ask(void)
{
    static char line[4096];
    fflush(stdout);
    if (!fgets(line, sizeof line, stdin)) {
        exit(0);
    }
    line[strcspn(line, "\n")] = 0;
    return line;
}

unsigned desk_unhex(const char *text, unsigned char *bytes)
{
    unsigned n = 0;
    for (; text[0] && text[1]; text += 2) {
        char two[] = {text[0], text[1], 0};
        bytes[n++] = (unsigned char)strtoul(two, NULL, 16);
    }
    return n;
}

enum write_end desk_ask_end(void)
{
    static const char *const names[] = {"ok", "none", "clash", "stuck"};
    const char *end = desk_ask();
    for (int which = 0; which < 4; which++) {
        if (strcmp(end, names[which]) == 0) {
            return (enum write_end)which;
        }
    }
    fprintf(stderr, "no end of a write: %s\n", end);
    exit(2);
}

uint8_t port_send(const char *text, uint8_t n)
{
    uint8_t taken = room >= 0 && room < n ? (uint8_t)room : n;
    if (room >= 0) {
        room -= taken;
    }
    if (taken > 0) {
        desk_print("says", text, taken);
    }
    return taken;
}

// The loop of a chip, until there is nothing more to do.
static void turn(const unsigned char *bytes, unsigned n)
{
    for (unsigned at = 0; at < n;) {
        while (at < n && bridge_is_free(&bridge)) {
            bridge_hear(&bridge, (char)bytes[at++]);
        }
        bridge_go_on(&bridge, desk_us);
        if (room == 0) {
            // The rest waits in the host's own buffer, which is none of ours.
            break;
        }
    }
    bridge_go_on(&bridge, desk_us);
}

int main(void)
{
    unsigned char bytes[2048];
    bridge_begin(&bridge, 0);
    chip_begin(&bridge);
    for (;;) {
        const char *order = desk_ask();
        unsigned n = 0;
        if (strncmp(order, "at ", 3) == 0) {
            desk_us = (uint32_t)strtoull(order + 3, NULL, 10);
        } else if (strncmp(order, "room ", 5) == 0) {
            room = strtol(order + 5, NULL, 10);
        } else if (strncmp(order, "host ", 5) == 0) {
            n = desk_unhex(order + 5, bytes);
        } else if (strncmp(order, "bus ", 4) == 0) {
            unsigned char frame[256];
            unsigned n_frame = desk_unhex(order + 4, frame);
            chip_hear(frame, n_frame);
        } else if (strcmp(order, "rest") == 0) {
            bridge_rest(&bridge);
        } else if (!chip_obey(order)) {
            fprintf(stderr, "no order: %s\n", order);
            exit(2);
        }
        turn(bytes, n);
        printf("\n");
    }
}
