// The bridge on a Raspberry Pi Pico (RP2040): ../../clock-bridge.md. What it says is in
// ../protocol.c; here is what the chip does from power on. Not tried on hardware yet.

#include "../protocol.h"
#include "bus.h"
#include "chip.h"
#include "usb.h"

static struct bridge bridge;

uint8_t port_send(const char *text, uint8_t n)
{
    return usb_put(text, n);
}

static void let_go(uint32_t blocks)
{
    chip_put(RESETS + CLEAR, blocks);
    while ((chip_get(RESETS_DONE) & blocks) != blocks) {
    }
}

// Everything runs from the crystal of 12 MHz: USB needs 48 MHz, and the rest gets the same.
static void begin_clocks(void)
{
    chip_put(XOSC_STARTUP, 0xc40);
    chip_put(XOSC_CTRL, 0xfabaa0);
    while (!(chip_get(XOSC_STATUS) & 1u << 31)) {
    }
    chip_put(CLK_REF_CTRL, 2);
    while (!(chip_get(CLK_REF_SELECTED) & 1u << 2)) {
    }
    // 12 MHz times 100, by 5 and by 5.
    let_go(RESET_PLL_USB);
    chip_put(PLL_USB_CS, 1);
    chip_put(PLL_USB_FBDIV, 100);
    chip_put(PLL_USB_PWR + CLEAR, 1u << 0 | 1u << 5);
    while (!(chip_get(PLL_USB_CS) & 1u << 31)) {
    }
    chip_put(PLL_USB_PRIM, 5u << 16 | 5u << 12);
    chip_put(PLL_USB_PWR + CLEAR, 1u << 3);
    chip_put(CLK_SYS_CTRL, 1u << 5);
    chip_put(CLK_SYS_CTRL, 1u << 5 | 1);
    while (!(chip_get(CLK_SYS_SELECTED) & 1u << 1)) {
    }
    chip_put(CLK_USB_CTRL, 1u << 11);
    // The timer counts microseconds: one of twelve turns of the crystal.
    chip_put(WATCHDOG_TICK, 1u << 9 | 12);
    let_go(RESET_TIMER | RESET_IO | RESET_PADS);
}

int main(void)
{
    begin_clocks();
    bridge_begin(&bridge, chip_get(TIMER_RAW));
    bus_begin(&bridge);
    usb_begin();
    for (;;) {
        char byte;
        usb_poll();
        bus_listen();
        if (!usb_is_open()) {
            // Nobody has opened the line.
            bridge_rest(&bridge);
        }
        while (bridge_is_free(&bridge) && usb_get(&byte)) {
            bridge_hear(&bridge, byte);
        }
        bridge_go_on(&bridge, chip_get(TIMER_RAW));
    }
}
