// A serial line over USB on an RP2040, by the class for such lines (CDC ACM), without interrupts.
// Linux shows it as /dev/ttyACM*.
#ifndef ROKADE_BRIDGE_USB_H
#define ROKADE_BRIDGE_USB_H

#include <stdbool.h>
#include <stdint.h>

// Lets the host find the device.
void usb_begin(void);
// Answers the host. To be called every few milliseconds at least.
void usb_poll(void);
// Whether a program has opened the line.
bool usb_is_open(void);
// The next byte of the host's, if there is one.
bool usb_get(char *byte);
// Sends as many bytes as there is room for. Returns how many.
uint8_t usb_put(const char *text, uint8_t n);

#endif
