// The first 256 bytes of the flash, which the chip's own program copies to its memory and runs.
// They set the flash's bus up for the plainest way of reading (command 03, one bit at a time), which
// every flash knows, and go to the start. uf2.py puts the sum behind them that the chip asks for.
// After the RP2040's data sheet, 2.8.1 and 4.10.

    .syntax unified
    .cpu cortex-m0plus
    .thumb
    .section .boot, "ax"

    ldr r3, =0x18000000         // the flash's bus
    movs r0, #0
    str r0, [r3, #0x08]         // off
    movs r0, #4
    str r0, [r3, #0x14]         // a quarter of the clock
    ldr r0, =0x001f0300         // 32 bits each, a command and then data
    str r0, [r3, #0x00]
    ldr r0, =0x03000218         // command 03, of 8 bits, and an address of 24
    ldr r1, =0x180000f4
    str r0, [r1]
    movs r0, #0
    str r0, [r3, #0x04]         // one word each
    movs r0, #1
    str r0, [r3, #0x08]         // on

    ldr r0, =0x10000100         // the vectors
    ldr r1, =0xe000ed08
    str r0, [r1]
    ldmia r0!, {r1, r2}
    msr msp, r1
    bx r2

    .ltorg
