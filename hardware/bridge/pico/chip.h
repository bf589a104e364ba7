// The registers of an RP2040 that the bridge uses. The numbers are those of its data sheet; the
// names too, shortened.
#ifndef ROKADE_BRIDGE_CHIP_H
#define ROKADE_BRIDGE_CHIP_H

#include <stdint.h>

// A register, or a word of the memory that USB has. Functions, so that a test can be the chip.
uint32_t chip_get(uint32_t at);
void chip_put(uint32_t at, uint32_t value);

// Added to a register's address: what is written there sets bits, or clears them.
#define SET 0x2000u
#define CLEAR 0x3000u

#define CLK_REF_CTRL 0x40008030u
#define CLK_REF_SELECTED 0x40008038u
#define CLK_SYS_CTRL 0x4000803cu
#define CLK_SYS_SELECTED 0x40008044u
#define CLK_USB_CTRL 0x40008054u
#define XOSC_CTRL 0x40024000u
#define XOSC_STATUS 0x40024004u
#define XOSC_STARTUP 0x4002400cu
#define PLL_USB_CS 0x4002c000u
#define PLL_USB_PWR 0x4002c004u
#define PLL_USB_FBDIV 0x4002c008u
#define PLL_USB_PRIM 0x4002c00cu
#define WATCHDOG_TICK 0x4005802cu

#define RESETS 0x4000c000u
#define RESETS_DONE 0x4000c008u
#define RESET_I2C0 (1u << 3)
#define RESET_I2C1 (1u << 4)
#define RESET_IO (1u << 5)
#define RESET_PADS (1u << 8)
#define RESET_PLL_USB (1u << 13)
#define RESET_TIMER (1u << 21)
#define RESET_USB (1u << 24)

// Microseconds since it was switched on, 32 bits.
#define TIMER_RAW 0x40054028u
// The level of each pin.
#define GPIO_IN 0xd0000004u
#define GPIO_CTRL(pin) (0x40014004u + 8u * (pin))
#define GPIO_I2C 3u
#define PAD(pin) (0x4001c004u + 4u * (pin))
// Input on, with a Schmitt trigger and a pull-up, 4 mA.
#define PAD_I2C 0x5au

#define I2C0 0x40044000u
#define I2C1 0x40048000u
#define IC_CON 0x00u
#define IC_CON_MASTER (1u << 0)
#define IC_CON_FAST (2u << 1)
#define IC_CON_RESTART (1u << 5)
#define IC_CON_NO_TARGET (1u << 6)
#define IC_TAR 0x04u
#define IC_SAR 0x08u
#define IC_DATA 0x10u
#define IC_DATA_STOP (1u << 9)
#define IC_DATA_FIRST (1u << 11)
#define IC_HIGH 0x1cu
#define IC_LOW 0x20u
#define IC_RAW 0x34u
#define IC_RAW_OVER (1u << 1)
#define IC_RAW_READ (1u << 5)
#define IC_RAW_ABORT (1u << 6)
#define IC_RAW_STOP (1u << 9)
#define IC_CLR_OVER 0x48u
#define IC_CLR_READ 0x50u
#define IC_CLR_ABORT 0x54u
#define IC_CLR_STOP 0x60u
#define IC_ENABLE 0x6cu
#define IC_STATUS 0x70u
#define IC_STATUS_ROOM (1u << 1)
#define IC_STATUS_EMPTY (1u << 2)
#define IC_STATUS_HEARD (1u << 3)
#define IC_STATUS_MASTER (1u << 5)
#define IC_STATUS_TARGET (1u << 6)
#define IC_HOLD 0x7cu
#define IC_ABORT 0x80u
#define IC_ABORT_NOBODY 0x0fu
#define IC_GENERAL 0x98u
#define IC_ENABLED 0x9cu
#define IC_SPIKE 0xa0u

#define USB_MEMORY 0x50100000u
#define USB_ADDRESS 0x50110000u
#define USB_MAIN 0x50110040u
#define USB_SIE_CTRL 0x5011004cu
#define USB_SIE_CTRL_ONE (1u << 29)
#define USB_SIE_CTRL_PULLUP (1u << 16)
#define USB_SIE_STATUS 0x50110050u
#define USB_SIE_STATUS_SETUP (1u << 17)
#define USB_SIE_STATUS_RESET (1u << 19)
#define USB_BUFFERS 0x50110058u
#define USB_STALL_ARM 0x50110068u
#define USB_MUXING 0x50110074u
#define USB_PWR 0x50110078u

#endif
