// The bridge on an ATmega32U4 (SparkFun Pro Micro 3.3 V, Adafruit ItsyBitsy 32u4 3 V): its one I2C
// port is master and target at once, and hears the address 10 and the general call together. What
// it says is in protocol.c; here is only what the chip must do. Not tried on hardware yet.

#include <Wire.h>

#include "protocol.h"

// Found to be more reliable than 100 kHz: ../dgt3000-i2c.md.
static const uint32_t BUS_HZ = 95000;
// The host's own address, 7 bits.
static const uint8_t HOST_ADDRESS = 0x10;
// Any transfer is over within this time.
static const uint32_t TRANSFER_US = 10000;
// The bus must have rested for so long before a write.
static const uint32_t IDLE_US = 50;

static struct bridge bridge;

// The library calls this in its interrupt, once a frame is whole.
static void heard(int n)
{
    uint8_t bytes[BRIDGE_FRAME_MAX - 1];
    uint8_t n_bytes = 0;
    for (; n > 0; n--) {
        uint8_t byte = Wire.read();
        if (n_bytes < sizeof bytes) {
            bytes[n_bytes++] = byte;
        }
    }
    bridge_frame(&bridge, bytes, n_bytes, micros());
}

static bool is_high(void)
{
    return digitalRead(SDA) && digitalRead(SCL);
}

static void begin_bus(void)
{
    Wire.begin(HOST_ADDRESS);
    Wire.setClock(BUS_HZ);
    Wire.setWireTimeout(TRANSFER_US, true);
    Wire.onReceive(heard);
    // The general call as well.
    TWAR |= 1 << TWGCE;
}

// Both addresses are heard from the first time on; to begin anew would cut off what is being said.
void port_listen(uint8_t)
{
    static bool has_begun = false;
    if (!has_begun) {
        has_begun = true;
        begin_bus();
    }
}

void port_reset(void)
{
    Wire.end();
    begin_bus();
}

enum write_end port_write(const uint8_t *frame, uint8_t n)
{
    uint32_t begun = micros();
    uint32_t rests_since = begun;
    bool has_been_high = false;
    while (micros() - rests_since < IDLE_US) {
        if (is_high()) {
            has_been_high = true;
        } else {
            rests_since = micros();
        }
        if (micros() - begun > TRANSFER_US) {
            return has_been_high ? WRITE_CLASH : WRITE_STUCK;
        }
    }
    Wire.beginTransmission(frame[0] >> 1);
    Wire.write(frame + 1, n - 1);
    switch (Wire.endTransmission()) {
    case 0:
        return WRITE_OK;
    case 2:
    case 3:
        return WRITE_NONE;
    default:
        return WRITE_CLASH;
    }
}

uint8_t port_send(const char *text, uint8_t n)
{
    int room = Serial.availableForWrite();
    if (room <= 0) {
        return 0;
    }
    return Serial.write((const uint8_t *)text, room < n ? room : n);
}

void setup(void)
{
    Serial.begin(9600);
    bridge_begin(&bridge, micros());
}

void loop(void)
{
    if (!Serial.dtr()) {
        // Nobody has opened the line.
        bridge_rest(&bridge);
    }
    while (bridge_is_free(&bridge) && Serial.available() > 0) {
        bridge_hear(&bridge, (char)Serial.read());
    }
    bridge_go_on(&bridge, micros());
}
