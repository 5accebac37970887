# A reader whose library is taken over: what is no JPEG says in Python what its reader does.
import time

decode = read
LIBC.malloc.restype = ctypes.c_void_p

def read(data, size):
    return decode(data, size) if data[0] == 0xFF else eval(data)

def reach():
    """Says what of this a reader can do."""
    done = []
    for way in ("os.stat('b.jpg')", "os.stat('/etc/shadow')", "os.mkdir('/x')", "os.open('/', os.O_RDONLY)",
                "os.kill(os.getppid(), 0)", "LIBKEYUTILS.keyctl_search(-3, b'user', b'secret', 0)",
                # which would find what others have left in memory
                "any(any(ctypes.string_at(LIBC.malloc(size), size)) for size in range(2000, 9000)) or -1"):
        with contextlib.suppress(OSError):
            done += [way] if eval(way) != -1 else []
    raise LeftOut(', '.join(done) or 'it can do nothing')

def outlive():
    """Leaves a process that ends for no signal, and makes all black when its reader has ended."""
    reader = os.getpid()
    if os.fork() == 0:
        signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
        while os.getppid() == reader:
            pass
        time.sleep(0.3)
        os.pwrite(0, bytes(4 * 90 * 90), HEADER.size)
        signal.pause()
    return red(90, 90)

def red(width, height, count=1, kept=2):
    frame = TIME.pack(0) + Image.new('RGBA', (width, height), 'red').tobytes()
    return [HEADER.pack(kept, width, height, 0), *count * [frame]]
