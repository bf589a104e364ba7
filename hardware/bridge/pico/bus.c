// See bus.h. I2C1 is master on GP2 (SDA) and GP3 (SCL), I2C0 target on GP4 (SDA) and GP5 (SCL).
// Both are on the same two wires, outside, so a frame that wins the bus over one of ours is heard.

#include "bus.h"

#include "chip.h"

#include <stdbool.h>

#define MASTER I2C1
#define TARGET I2C0
#define SDA_PINS (1u << 2 | 1u << 4)
#define SCL_PINS (1u << 3 | 1u << 5)

// The host's own address, 7 bits.
#define HOST_ADDRESS 0x10u
// Any transfer is over within this time.
#define TRANSFER_US 10000u
// The bus must have rested for so long before a write.
#define IDLE_US 50u

// At 48 MHz: spikes of 0.38 us are passed over, SDA stays for 0.3 us behind SCL, and a bit takes
// (302 + 1) + (177 + 18 + 7) cycles. That is 95 kHz, found to be more reliable than 100:
// ../../dgt3000-i2c.md.
#define SPIKE_CYCLES 18u
#define HOLD_CYCLES 15u
#define LOW_CYCLES 302u
#define HIGH_CYCLES 177u

// Who is told of frames, the frame that is being heard, and whether a stop was seen since the last
// one ended.
static struct bridge *listener;
static uint8_t bytes[BRIDGE_FRAME_MAX - 1];
static uint8_t n_bytes;
static bool has_stopped;

static uint32_t now_us(void)
{
    return chip_get(TIMER_RAW);
}

static void enable(uint32_t block, uint32_t on)
{
    chip_put(block + IC_ENABLE, on);
    // A block that holds its lines low is not off before the other side lets go. A reset helps.
    for (uint32_t begun = now_us(); (chip_get(block + IC_ENABLED) & 1) != on;) {
        if (now_us() - begun > TRANSFER_US) {
            return;
        }
    }
}

// A block that was reset lets go of its lines, whatever it was about.
static void reset(uint32_t which)
{
    chip_put(RESETS + SET, which);
    chip_put(RESETS + CLEAR, which);
    while ((chip_get(RESETS_DONE) & which) != which) {
    }
}

static void begin_block(uint32_t block, uint32_t con)
{
    chip_put(block + IC_ENABLE, 0);
    chip_put(block + IC_CON, con | IC_CON_FAST);
    chip_put(block + IC_SPIKE, SPIKE_CYCLES);
    chip_put(block + IC_HOLD, HOLD_CYCLES);
    chip_put(block + IC_LOW, LOW_CYCLES);
    chip_put(block + IC_HIGH, HIGH_CYCLES);
}

static void begin_master(void)
{
    reset(RESET_I2C1);
    begin_block(MASTER, IC_CON_MASTER | IC_CON_NO_TARGET | IC_CON_RESTART);
}

// The target never holds the clock line: bytes for which there is no room are lost, and counted by
// the host as a frame whose sum is wrong.
static void begin_target(void)
{
    reset(RESET_I2C0);
    begin_block(TARGET, 0);
    chip_put(TARGET + IC_SAR, HOST_ADDRESS);
    chip_put(TARGET + IC_GENERAL, 1);
    enable(TARGET, 1);
    n_bytes = 0;
    has_stopped = false;
}

void bus_begin(struct bridge *bridge)
{
    listener = bridge;
    for (uint32_t pin = 2; pin <= 5; pin++) {
        chip_put(PAD(pin), PAD_I2C);
        chip_put(GPIO_CTRL(pin), GPIO_I2C);
    }
    begin_master();
    begin_target();
}

static void end_frame(void)
{
    if (n_bytes > 0) {
        bridge_frame(listener, bytes, n_bytes, now_us());
    }
    n_bytes = 0;
}

void bus_listen(void)
{
    uint32_t raw = chip_get(TARGET + IC_RAW);
    uint32_t status;
    if (raw & IC_RAW_STOP) {
        chip_get(TARGET + IC_CLR_STOP);
        has_stopped = true;
    }
    if (raw & IC_RAW_OVER) {
        chip_get(TARGET + IC_CLR_OVER);
    }
    if (raw & IC_RAW_READ) {
        // Nobody reads from the host. Whoever tries must not find the clock line held for good.
        chip_get(TARGET + IC_CLR_ABORT);
        chip_get(TARGET + IC_CLR_READ);
        chip_put(TARGET + IC_DATA, 0xff);
    }
    while ((status = chip_get(TARGET + IC_STATUS)) & IC_STATUS_HEARD) {
        uint32_t data = chip_get(TARGET + IC_DATA);
        if (data & IC_DATA_FIRST) {
            end_frame();
        }
        if (n_bytes < sizeof bytes) {
            bytes[n_bytes++] = (uint8_t)data;
        }
    }
    // Stops are told for others' frames and our own as well: a block that tells those of its
    // address alone tells none of the general call. So a frame is over only if the target is at
    // rest too.
    if (has_stopped && !(status & IC_STATUS_TARGET)) {
        end_frame();
        has_stopped = false;
    }
}

// Waits until both lines have been high for 50 us.
static enum write_end rest(uint32_t begun)
{
    uint32_t rests_since = begun;
    bool has_been_high = false;
    while (now_us() - rests_since < IDLE_US) {
        bus_listen();
        if ((~chip_get(GPIO_IN) & (SDA_PINS | SCL_PINS)) == 0) {
            has_been_high = true;
        } else {
            rests_since = now_us();
        }
        if (now_us() - begun > TRANSFER_US) {
            return has_been_high ? WRITE_CLASH : WRITE_STUCK;
        }
    }
    return WRITE_OK;
}

// Why the master gave up; it has let go of the bus, or is about to.
static enum write_end give_up(void)
{
    uint32_t why = chip_get(MASTER + IC_ABORT);
    chip_get(MASTER + IC_CLR_ABORT);
    // Without any reason nothing was on the bus to take the address.
    return why == 0 || (why & IC_ABORT_NOBODY) ? WRITE_NONE : WRITE_CLASH;
}

// Hands the frame to the master, and waits for what becomes of it.
static enum write_end send(const uint8_t *frame, uint8_t n, uint32_t begun)
{
    enable(MASTER, 0);
    chip_put(MASTER + IC_TAR, frame[0] >> 1);
    enable(MASTER, 1);
    for (uint8_t n_put = 1; now_us() - begun <= TRANSFER_US;) {
        // Before the reason is looked for: a master that is done has given it by then. A stop says
        // less, for it may be another master's.
        uint32_t status = chip_get(MASTER + IC_STATUS);
        bool is_done = (status & (IC_STATUS_EMPTY | IC_STATUS_MASTER)) == IC_STATUS_EMPTY;
        if (chip_get(MASTER + IC_RAW) & IC_RAW_ABORT) {
            return give_up();
        }
        if (n_put == n && is_done) {
            return WRITE_OK;
        }
        if (n_put < n && status & IC_STATUS_ROOM) {
            uint32_t last = n_put + 1 == n ? IC_DATA_STOP : 0;
            chip_put(MASTER + IC_DATA, frame[n_put++] | last);
        }
        bus_listen();
    }
    begin_master();
    return WRITE_CLASH;
}

enum write_end port_write(const uint8_t *frame, uint8_t n)
{
    uint32_t begun = now_us();
    enum write_end rested = rest(begun);
    if (rested != WRITE_OK) {
        return rested;
    }
    // The block cannot send an address alone, and the clock has no such frame.
    return n < 2 ? WRITE_NONE : send(frame, n, begun);
}

// Both addresses are heard from the first time on.
void port_listen(uint8_t address)
{
    (void)address;
}

void port_reset(void)
{
    begin_master();
    begin_target();
}
