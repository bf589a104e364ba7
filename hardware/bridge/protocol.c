// The language of the bridge: see protocol.h and ../clock-bridge.md.

#include "protocol.h"

#include <string.h>

#define SECOND_US 1000000UL

static const char DIGITS[] = "0123456789ABCDEF";
static const char *const ENDS[] = {"ok", "none", "clash", "stuck"};

// CRC-8, polynomial 07: the sum of the lines and of the clock's frames.
static uint8_t crc_step(uint8_t crc, uint8_t byte)
{
    crc ^= byte;
    for (uint8_t bit = 0; bit < 8; bit++) {
        crc = (uint8_t)((crc & 0x80) ? (crc << 1) ^ 0x07 : crc << 1);
    }
    return crc;
}

static uint8_t crc_of(uint8_t crc, const void *bytes, uint8_t n)
{
    const uint8_t *at = bytes;
    while (n-- > 0) {
        crc = crc_step(crc, *at++);
    }
    return crc;
}

// The value of a hexadecimal digit, capitals only; 16 if it is none.
static uint8_t digit(char c)
{
    for (uint8_t value = 0; value < 16; value++) {
        if (DIGITS[value] == c) {
            return value;
        }
    }
    return 16;
}

// Reads two digits. Returns 0 if they are none.
static uint8_t read_byte(const char *text, uint8_t *byte)
{
    uint8_t high = digit(text[0]);
    uint8_t low = high < 16 ? digit(text[1]) : 16;
    *byte = (uint8_t)(high << 4 | low);
    return low < 16;
}

static void put(struct bridge *bridge, char c)
{
    // The longest line that is ever said, of a frame of 51 bytes, has 122.
    bridge->out[bridge->n_out++] = c;
}

static void put_text(struct bridge *bridge, const char *text)
{
    while (*text) {
        put(bridge, *text++);
    }
}

static void put_byte(struct bridge *bridge, uint8_t byte)
{
    put(bridge, DIGITS[byte >> 4]);
    put(bridge, DIGITS[byte & 15]);
}

static void put_number(struct bridge *bridge, uint32_t number)
{
    char digits[10];
    uint8_t n = 0;
    do {
        digits[n++] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    while (n > 0) {
        put(bridge, digits[--n]);
    }
}

static void begin_line(struct bridge *bridge, const char *word)
{
    bridge->n_out = 0;
    bridge->n_gone = 0;
    put(bridge, '!');
    put_text(bridge, word);
}

static void end_line(struct bridge *bridge)
{
    uint8_t sum = crc_of(0, bridge->out + 1, (uint8_t)(bridge->n_out - 1));
    put(bridge, '*');
    put_byte(bridge, sum);
    put(bridge, '\n');
}

static void say_hello(struct bridge *bridge)
{
    begin_line(bridge, "hi rokade-bridge ");
    put_number(bridge, BRIDGE_VERSION);
    end_line(bridge);
}

static void say_end(struct bridge *bridge)
{
    begin_line(bridge, "end ");
    put_byte(bridge, bridge->end_number);
    put(bridge, ' ');
    put_text(bridge, ENDS[bridge->end]);
    end_line(bridge);
}

static void say_beat(struct bridge *bridge)
{
    begin_line(bridge, "beat ");
    put_number(bridge, bridge->up_s);
    put(bridge, ' ');
    put_number(bridge, bridge->n_lost);
    end_line(bridge);
}

// The address byte that a frame was sent to. The chip does not hand it over, but the own sum of the
// frame is over it, so of the two that it can be only one fits. If none does, it is broken anyway.
static uint8_t address_byte(const struct bridge *bridge, const struct bridge_frame *frame)
{
    static const uint8_t KNOWN[] = {0x00, 0x20};
    for (uint8_t which = 0; which < 2 && frame->n > 0; which++) {
        uint8_t sum = crc_of(crc_step(0, KNOWN[which]), frame->bytes, (uint8_t)(frame->n - 1));
        if (sum == frame->bytes[frame->n - 1]) {
            return KNOWN[which];
        }
    }
    return (uint8_t)(bridge->address << 1);
}

static void say_frame(struct bridge *bridge, const struct bridge_frame *frame, uint32_t now_us)
{
    begin_line(bridge, "got ");
    put_number(bridge, now_us - frame->heard_us);
    put(bridge, ' ');
    put_byte(bridge, address_byte(bridge, frame));
    for (uint8_t at = 0; at < frame->n; at++) {
        put_byte(bridge, frame->bytes[at]);
    }
    end_line(bridge);
}

// Carries out `write NN FRAME`; `text` is what follows the first word. What means nothing is passed
// over.
static void write_frame(struct bridge *bridge, const char *text, uint8_t n)
{
    uint8_t frame[BRIDGE_FRAME_MAX];
    uint8_t number;
    uint8_t n_frame = 0;
    if (n < 5 || n % 2 == 0 || !read_byte(text, &number) || text[2] != ' ') {
        return;
    }
    for (uint8_t at = 3; at < n; at = (uint8_t)(at + 2)) {
        if (n_frame == BRIDGE_FRAME_MAX || !read_byte(text + at, &frame[n_frame])) {
            return;
        }
        n_frame++;
    }
    bridge->end = port_write(frame, n_frame);
    bridge->end_number = number;
    bridge->owes_end = 1;
}

// Whether a body is, or begins with, these words.
static uint8_t is(const char *body, uint8_t n, const char *words)
{
    return n == strlen(words) && memcmp(body, words, n) == 0;
}

static uint8_t begins(const char *body, uint8_t n, const char *words)
{
    return n > strlen(words) && memcmp(body, words, strlen(words)) == 0;
}

// Carries out what stands between the marks of a line.
static void obey(struct bridge *bridge, const char *body, uint8_t n)
{
    uint8_t address;
    if (is(body, n, "hi")) {
        bridge->owes_hello = 1;
    } else if (is(body, n, "reset")) {
        port_reset();
    } else if (begins(body, n, "listen ") && n == 9 && read_byte(body + 7, &address)) {
        if (address == 0x00 || address == 0x10) {
            bridge->address = address;
            port_listen(address);
        }
    } else if (begins(body, n, "write ")) {
        write_frame(bridge, body + 6, (uint8_t)(n - 6));
    }
}

// The line in `line`, of `n_line` bytes, is at its end.
static void on_line(struct bridge *bridge)
{
    uint8_t n = bridge->n_line;
    uint8_t sum;
    // A break of two bytes is one, too; amid a line its first is a fault as any other.
    if (n > 0 && bridge->line[n - 1] == '\r') {
        n--;
    }
    // The mark, a body that may be empty, the star and two digits; the line break counts as well.
    if (n < 4 || n > BRIDGE_LINE_MAX - 1 || bridge->line[0] != '!' || bridge->line[n - 3] != '*') {
        return;
    }
    if (read_byte(bridge->line + n - 2, &sum) && sum == crc_of(0, bridge->line + 1, n - 4)) {
        obey(bridge, bridge->line + 1, (uint8_t)(n - 4));
    }
}

void bridge_begin(struct bridge *bridge, uint32_t now_us)
{
    memset(bridge, 0, sizeof *bridge);
    bridge->second_us = now_us;
    bridge->owes_hello = 1;
}

void bridge_rest(struct bridge *bridge)
{
    bridge->n_line = 0;
    bridge->n_out = 0;
    bridge->n_gone = 0;
    bridge->saying = LINE_NOTHING;
    bridge->owes_hello = 0;
    bridge->owes_end = 0;
    bridge->owes_beat = 0;
    bridge->tail = bridge->head;
}

uint8_t bridge_is_free(const struct bridge *bridge)
{
    return !bridge->owes_hello && !bridge->owes_end;
}

void bridge_hear(struct bridge *bridge, char byte)
{
    if (byte == '\n') {
        on_line(bridge);
        bridge->n_line = 0;
    } else if (byte == '!') {
        bridge->line[0] = byte;
        bridge->n_line = 1;
    } else if (bridge->n_line <= BRIDGE_LINE_MAX) {
        bridge->line[bridge->n_line++] = byte;
    }
}

void bridge_frame(struct bridge *bridge, const uint8_t *bytes, uint8_t n, uint32_t now_us)
{
    uint8_t next = (uint8_t)((bridge->head + 1) % BRIDGE_QUEUE_MAX);
    struct bridge_frame *frame = &bridge->queue[bridge->head];
    if (next == bridge->tail) {
        bridge->n_dropped++;
        return;
    }
    frame->heard_us = now_us;
    frame->n = n < sizeof frame->bytes ? n : (uint8_t)sizeof frame->bytes;
    memcpy(frame->bytes, bytes, frame->n);
    bridge->head = next;
}

// Puts the next line together, if there is anything to say.
static void next_line(struct bridge *bridge, uint32_t now_us)
{
    bridge->n_out = 0;
    bridge->n_gone = 0;
    if (bridge->owes_hello) {
        bridge->saying = LINE_HELLO;
        say_hello(bridge);
    } else if (bridge->owes_end) {
        bridge->saying = LINE_END;
        say_end(bridge);
    } else if (bridge->owes_beat) {
        bridge->saying = LINE_BEAT;
        say_beat(bridge);
    } else if (bridge->tail != bridge->head) {
        bridge->saying = LINE_FRAME;
        say_frame(bridge, &bridge->queue[bridge->tail], now_us);
    } else {
        bridge->saying = LINE_NOTHING;
    }
}

// The line has begun to go, and is not owed any more.
static void line_begun(struct bridge *bridge)
{
    switch (bridge->saying) {
    case LINE_NOTHING:
        break;
    case LINE_HELLO:
        bridge->owes_hello = 0;
        break;
    case LINE_END:
        bridge->owes_end = 0;
        break;
    case LINE_BEAT:
        bridge->owes_beat = 0;
        break;
    case LINE_FRAME:
        bridge->tail = (uint8_t)((bridge->tail + 1) % BRIDGE_QUEUE_MAX);
        break;
    }
}

void bridge_go_on(struct bridge *bridge, uint32_t now_us)
{
    uint8_t n_dropped = bridge->n_dropped;
    bridge->n_lost += (uint8_t)(n_dropped - bridge->n_counted);
    bridge->n_counted = n_dropped;
    while (now_us - bridge->second_us >= SECOND_US) {
        bridge->second_us += SECOND_US;
        bridge->up_s++;
        bridge->owes_beat = 1;
    }
    for (;;) {
        if (bridge->n_gone == 0 || bridge->n_gone == bridge->n_out) {
            next_line(bridge, now_us);
        }
        uint8_t n_left = (uint8_t)(bridge->n_out - bridge->n_gone);
        uint8_t n_sent = n_left > 0 ? port_send(bridge->out + bridge->n_gone, n_left) : 0;
        if (n_sent == 0) {
            return;
        }
        if (bridge->n_gone == 0) {
            line_begun(bridge);
        }
        bridge->n_gone = (uint8_t)(bridge->n_gone + n_sent);
        if (n_sent < n_left) {
            return;
        }
    }
}
