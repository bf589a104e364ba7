// The registers of an RP2040 as hardware/bridge/pico/bus.c uses them, with a bus behind them, after
// the chip's data sheet, 4.3. What is done to them that the data sheet forbids ends the program.
// Beside those of desk.c these orders are known:
//
//   meanwhile HEX   a frame is on the bus before the next write comes to its turn
//   at-once HEX     two frames, with a blank between, of which nobody takes a byte before the
//                   second has begun
//   asked           somebody reads from the host

#include "desk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define port_write pico_write
#define port_listen pico_listen
#define port_reset pico_reset
#include "../../hardware/bridge/pico/bus.c"
#undef port_write
#undef port_listen
#undef port_reset

#define FIFO 16
// What a byte takes at 95 kHz.
#define BYTE_US 95

struct block {
    uint32_t con, tar, sar, general, high, low, hold, spike, is_on, raw, why;
    uint32_t heard[FIFO], waiting[FIFO];
    unsigned n_heard, n_waiting;
    // Whether it is master or target of a frame now; of a master, what went over the bus.
    bool is_active, has_address;
    uint8_t sent[64];
    unsigned n_sent;
};

static struct block master, target;
static uint32_t held_in_reset, pads[6], functions[6];
// Microseconds of this order, for time goes on while a program looks at it.
static uint32_t spent_us;
// How the write under way ends, and in which of several ways.
static enum write_end end;
static unsigned way;
static unsigned char meanwhile[64];
static unsigned n_meanwhile, at_meanwhile;

static void complain(const char *what, uint32_t value)
{
    fprintf(stderr, "%s: %x\n", what, (unsigned)value);
    exit(2);
}

static void hear(uint32_t data)
{
    target.is_active = true;
    if (target.n_heard == FIFO) {
        target.raw |= IC_RAW_OVER;
    } else {
        target.heard[target.n_heard++] = data;
    }
}

static void stop(void)
{
    master.raw |= IC_RAW_STOP;
    target.raw |= IC_RAW_STOP;
    target.is_active = false;
}

static void abort_write(uint32_t why)
{
    master.raw |= IC_RAW_ABORT;
    master.why |= why;
    master.n_waiting = 0;
    master.is_active = false;
    stop();
}

// The time of a byte has gone by.
static void pass_byte(void)
{
    if (at_meanwhile < n_meanwhile) {
        hear(meanwhile[at_meanwhile] | (at_meanwhile == 0 ? IC_DATA_FIRST : 0));
        at_meanwhile++;
        if (at_meanwhile == n_meanwhile) {
            stop();
        }
        return;
    }
    if (!master.is_on || (master.n_waiting == 0 && !master.is_active)) {
        return;
    }
    master.is_active = true;
    if (end == WRITE_CLASH && way % 3 == 0) {
        // Somebody holds the clock line.
        return;
    }
    if (!master.has_address) {
        master.has_address = true;
        if (end == WRITE_CLASH && way % 3 == 1) {
            abort_write(1u << 12);
        } else if (end == WRITE_NONE && way % 3 != 2) {
            // One way of the chip is to give no reason.
            abort_write(way % 3);
        }
    } else if (master.n_waiting > 0) {
        uint32_t data = master.waiting[0];
        memmove(master.waiting, master.waiting + 1, sizeof master.waiting - sizeof *master.waiting);
        master.n_waiting--;
        master.sent[master.n_sent++] = (uint8_t)data;
        if (end == WRITE_NONE) {
            abort_write(1u << 3);
        } else if (data & IC_DATA_STOP) {
            master.is_active = false;
            stop();
        }
    }
}

static uint32_t pins(void)
{
    bool are_busy = end == WRITE_CLASH && way % 3 == 2 && spent_us % 30 < 15;
    return end == WRITE_STUCK ? ~SDA_PINS : are_busy ? ~SCL_PINS : ~0u;
}

static uint32_t status(const struct block *block)
{
    return (block->n_waiting < FIFO ? IC_STATUS_ROOM : 0) |
           (block->n_waiting == 0 ? IC_STATUS_EMPTY : 0) |
           (block->n_heard > 0 ? IC_STATUS_HEARD : 0) |
           (block->is_active ? block == &master ? IC_STATUS_MASTER : IC_STATUS_TARGET : 0);
}

static uint32_t take(struct block *block)
{
    if (block->n_heard == 0) {
        complain("nothing was heard", 0);
    }
    uint32_t data = block->heard[0];
    memmove(block->heard, block->heard + 1, sizeof block->heard - sizeof *block->heard);
    block->n_heard--;
    return data;
}

static uint32_t get_of(struct block *block, uint32_t at)
{
    switch (at) {
    case IC_DATA:
        return take(block);
    case IC_RAW:
        return block->raw;
    case IC_STATUS:
        return status(block);
    case IC_ABORT:
        return block->why;
    case IC_ENABLED:
        return block->is_on;
    case IC_CLR_OVER:
        block->raw &= ~IC_RAW_OVER;
        return 0;
    case IC_CLR_READ:
        block->raw &= ~IC_RAW_READ;
        return 0;
    case IC_CLR_ABORT:
        block->raw &= ~IC_RAW_ABORT;
        block->why = 0;
        return 0;
    case IC_CLR_STOP:
        block->raw &= ~IC_RAW_STOP;
        return 0;
    default:
        complain("no such register to read", at);
        return 0;
    }
}

uint32_t chip_get(uint32_t at)
{
    switch (at) {
    case TIMER_RAW:
        if (spent_us % BYTE_US == BYTE_US - 1) {
            pass_byte();
        }
        return desk_us + spent_us++;
    case GPIO_IN:
        return pins();
    case RESETS_DONE:
        return ~held_in_reset;
    default:
        return get_of((at & ~0xfffu) == MASTER ? &master : &target, at & 0xfff);
    }
}

// Sets what may be set only while the block is off.
static void set_up(struct block *block, uint32_t at, uint32_t value)
{
    if (block->is_on) {
        complain("only while it is off may be written", at);
    }
    switch (at) {
    case IC_CON:
        block->con = value;
        break;
    case IC_TAR:
        block->tar = value;
        break;
    case IC_SAR:
        block->sar = value;
        break;
    case IC_HIGH:
        block->high = value;
        break;
    case IC_LOW:
        block->low = value;
        break;
    case IC_HOLD:
        block->hold = value;
        break;
    case IC_SPIKE:
        block->spike = value;
        break;
    case IC_GENERAL:
        block->general = value;
        break;
    default:
        complain("no such register to write", at);
    }
}

static void put_of(struct block *block, uint32_t at, uint32_t value)
{
    switch (at) {
    case IC_ENABLE:
        block->is_on = value;
        block->n_waiting = block->n_heard = 0;
        block->has_address = false;
        break;
    case IC_DATA:
        if (block->n_waiting == FIFO) {
            complain("there is no room for", value);
        }
        // What is sent while the reason of an abort is unread goes nowhere.
        if (!(block->raw & IC_RAW_ABORT)) {
            block->waiting[block->n_waiting++] = value;
        }
        break;
    default:
        set_up(block, at, value);
    }
}

static void put_reset(uint32_t blocks)
{
    if (blocks & RESET_I2C0) {
        memset(&target, 0, sizeof target);
    }
    if (blocks & RESET_I2C1) {
        memset(&master, 0, sizeof master);
    }
    held_in_reset |= blocks;
}

void chip_put(uint32_t at, uint32_t value)
{
    for (uint32_t pin = 2; pin <= 5; pin++) {
        if (at == PAD(pin) || at == GPIO_CTRL(pin)) {
            *(at == PAD(pin) ? &pads[pin] : &functions[pin]) = value;
            return;
        }
    }
    if (at == RESETS + SET) {
        put_reset(value);
    } else if (at == RESETS + CLEAR) {
        held_in_reset &= ~value;
    } else {
        put_of((at & ~0xfffu) == MASTER ? &master : &target, at & 0xfff, value);
    }
}

// Whether both blocks are as they must be.
static void check_blocks(void)
{
    uint32_t bit = master.low + 1 + master.high + master.spike + 7;
    if (master.con != (IC_CON_MASTER | IC_CON_FAST | IC_CON_RESTART | IC_CON_NO_TARGET)) {
        complain("the master is set up as", master.con);
    }
    // No stop only for its own address, and no clock line that is held for room: bits 7 and 9.
    if (target.con != IC_CON_FAST || target.sar != 0x10 || !target.general || !target.is_on) {
        complain("the target is set up as", target.con);
    }
    if (48000000 / bit != 95049 || target.hold != master.hold || master.hold < 15) {
        complain("cycles of a bit", bit);
    }
    for (uint32_t pin = 2; pin <= 5; pin++) {
        if (functions[pin] != GPIO_I2C || (pads[pin] & 0xc8) != 0x48) {
            complain("a pin is set up otherwise", pin);
        }
    }
}

enum write_end port_write(const uint8_t *frame, uint8_t n)
{
    desk_print("writes", frame, n);
    end = desk_ask_end();
    way++;
    spent_us = 0;
    master.n_sent = 0;
    enum write_end is = pico_write(frame, n);
    // An address alone cannot be sent.
    enum write_end must = n == 1 && end == WRITE_OK ? WRITE_NONE : end;
    if (is != must) {
        complain("it was told to end otherwise", is);
    }
    if (is == WRITE_OK) {
        if (master.tar != frame[0] >> 1 || master.n_sent != n - 1u ||
            memcmp(master.sent, frame + 1, n - 1u) != 0) {
            complain("another frame was written", master.tar);
        }
    }
    if (spent_us > 10400) {
        complain("it took microseconds", spent_us);
    }
    is = end;
    end = WRITE_OK;
    check_blocks();
    return is;
}

void port_listen(uint8_t address)
{
    desk_print("listens", &address, 1);
    pico_listen(address);
}

void port_reset(void)
{
    printf("resets\n");
    pico_reset();
    check_blocks();
}

void chip_begin(struct bridge *bridge)
{
    bus_begin(bridge);
    check_blocks();
}

static void hear_frame(const unsigned char *bytes, unsigned n, unsigned n_at_once)
{
    for (unsigned at = 0; at < n; at++) {
        hear(bytes[at] | (at == 0 ? IC_DATA_FIRST : 0));
        if (n_at_once > 0 && at % n_at_once == n_at_once - 1) {
            bus_listen();
        }
    }
    stop();
}

int chip_obey(const char *order)
{
    unsigned char bytes[64];
    const char *second = strrchr(order, ' ');
    spent_us = 0;
    if (strncmp(order, "meanwhile ", 10) == 0) {
        n_meanwhile = desk_unhex(order + 10, meanwhile);
        at_meanwhile = 0;
    } else if (strncmp(order, "at-once ", 8) == 0) {
        unsigned n = (unsigned)(second - order - 8) / 2;
        desk_unhex(order + 8, bytes);
        hear_frame(bytes, n, 0);
        n = desk_unhex(second + 1, bytes);
        // The second is not over when the first one is taken.
        hear(bytes[0] | IC_DATA_FIRST);
        bus_listen();
        for (unsigned at = 1; at < n; at++) {
            hear(bytes[at]);
        }
        stop();
        bus_listen();
    } else if (strcmp(order, "asked") == 0) {
        target.raw |= IC_RAW_READ;
        bus_listen();
        if (target.raw & IC_RAW_READ || target.n_waiting != 1) {
            complain("who asks holds the line for good", target.n_waiting);
        }
        target.n_waiting = 0;
    } else {
        return 0;
    }
    return 1;
}

void chip_hear(const unsigned char *bytes, unsigned n)
{
    static unsigned n_at_once;
    spent_us = 0;
    // Never so many that they have no room.
    n_at_once = n_at_once % (FIFO - 1) + 1;
    hear_frame(bytes, n, n_at_once);
    bus_listen();
}
