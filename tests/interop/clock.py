import sys

from line import Line

line = Line(sys.argv[1])
line.ask(0x4D, 0x93)
line.send(0x4B)
list(line.answers(0.5))
line.clock(0x09)
assert ("ack", 0x09) in list(line.answers(2)), "version of the clock"
line.clock(0x0A, 0, 5, 0, 0, 4, 0, 0x04)
answers = list(line.answers(2))
assert ("ack", 0x0A) in answers, answers
assert [time for what, time in answers if what == "time"][-1][:3] == (300, 240, False), answers
line.clock(0x0A, 0, 5, 0, 0, 4, 0, 0x01)
times = [time for what, time in line.answers(3.5) if what == "time"]
assert times[-1][2] and 296 <= times[-1][0] <= 298 and times[-1][1] == 240, times
line.clock(0x0C, *b"Rokade  ", 0)
assert ("ack", 0x0C) in list(line.answers(2)), "text"
line.clock(0x03)
assert ("ack", 0x03) in list(line.answers(2)), "end"
