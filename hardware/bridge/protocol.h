// The bridge's side of the lines in ../clock-bridge.md, without a word about any chip.
//
// C99. A chip provides the four functions named port_*; the rest is here, in protocol.c, and is
// tested on a computer against the program that it talks to.
#ifndef ROKADE_BRIDGE_PROTOCOL_H
#define ROKADE_BRIDGE_PROTOCOL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Version of the language.
#define BRIDGE_VERSION 1
// Longest frame, address byte included.
#define BRIDGE_FRAME_MAX 51
// Longest line, line break included.
#define BRIDGE_LINE_MAX 160
// Frames that may wait for the line to the host.
#define BRIDGE_QUEUE_MAX 8

// How a write ended.
enum write_end {
    // All bytes were taken.
    WRITE_OK,
    // Nobody took it.
    WRITE_NONE,
    // Another master spoke, or the clock line was held too long.
    WRITE_CLASH,
    // A line is held low.
    WRITE_STUCK
};

// What a line is about.
enum line_kind { LINE_NOTHING, LINE_HELLO, LINE_END, LINE_BEAT, LINE_FRAME };

// A frame as it was heard: without the address byte, which no chip hands over.
struct bridge_frame {
    uint32_t heard_us;
    uint8_t n;
    uint8_t bytes[BRIDGE_FRAME_MAX - 1];
};

// All that a bridge remembers.
struct bridge {
    // The line that is being heard, from its mark on; one byte too many says that it is none.
    char line[BRIDGE_LINE_MAX + 1];
    uint8_t n_line;
    // The line that is being said, and how much of it has gone. Until the first byte has, it is put
    // together anew each time, for its age grows and more urgent lines may come.
    enum line_kind saying;
    char out[BRIDGE_LINE_MAX];
    uint8_t n_out;
    uint8_t n_gone;
    // What is to be said next.
    uint8_t owes_hello;
    uint8_t owes_end;
    uint8_t owes_beat;
    uint8_t end_number;
    enum write_end end;
    // The address that the host wants to be heard, 7 bits.
    uint8_t address;
    // Seconds since it was switched on, and when the last of them was over.
    uint32_t up_s;
    uint32_t second_us;
    // Frames lost, and how many of n_dropped are counted in it.
    uint32_t n_lost;
    uint8_t n_counted;
    // A ring that is filled where frames are heard, which may be an interrupt, and emptied by
    // bridge_go_on. Each index is written on one side only.
    struct bridge_frame queue[BRIDGE_QUEUE_MAX];
    volatile uint8_t head;
    volatile uint8_t tail;
    volatile uint8_t n_dropped;
};

// Provided by the chip: writes a frame, whose first byte is the address byte, once the bus has
// rested for 50 us. Over within 10 ms, and never repeated.
enum write_end port_write(const uint8_t *frame, uint8_t n);
// Provided by the chip: frames to this address are the host's. A chip that hears 00 and 10 at once
// may do so.
void port_listen(uint8_t address);
// Provided by the chip: sets the bus up anew.
void port_reset(void);
// Provided by the chip: sends as many bytes as there is room for, at once. Returns how many.
uint8_t port_send(const char *text, uint8_t n);

// It was switched on.
void bridge_begin(struct bridge *bridge, uint32_t now_us);
// Nobody is at the other end of the line: what was to be said is forgotten.
void bridge_rest(struct bridge *bridge);
// Whether it can take another byte of the host's. It answers one line before it reads the next.
uint8_t bridge_is_free(const struct bridge *bridge);
// A byte of the host's.
void bridge_hear(struct bridge *bridge, char byte);
// A frame was heard, its last byte now. May be called in an interrupt.
void bridge_frame(struct bridge *bridge, const uint8_t *bytes, uint8_t n, uint32_t now_us);
// Says what there is to say. To be called as often as possible.
void bridge_go_on(struct bridge *bridge, uint32_t now_us);

#ifdef __cplusplus
}
#endif

#endif
