# Code in the place of the decoder, as a picture may bring it: a file with the name of one of these functions calls it.
import socket

def reach():
    """Says what it could do."""
    done = []

    def attempt(name, function, *arguments):
        with contextlib.suppress(OSError, MemoryError, ValueError, Failed):
            function(*arguments)
            done.append(name)

    for descriptor in (0, *range(2, 4096)):
        attempt(f'has descriptor {descriptor}', os.fstat, descriptor)
    for path in '/', '..', '/etc/shadow', '/dev/tty', '/tmp', '/proc/self/mem':
        attempt(f'sees {path}', os.listdir if path in ('/', '..', '/tmp') else os.stat, path)
        attempt(f'opens {path}', os.open, path, os.O_RDONLY)
        attempt(f'writes {path}', os.mkdir, f'{path}/x')
        attempt(f'makes a link in {path}', os.symlink, '/etc/shadow', f'{path}/y')
    for family in 'AF_INET', 'AF_UNIX', 'AF_NETLINK', 'AF_VSOCK':
        attempt(f'has {family}', socket.socket, getattr(socket, family))
    attempt('has memory', bytearray, 600_000_000)
    attempt('has a pipe', os.pipe)
    attempt('has memory as a file', os.memfd_create, 'x')
    attempt('has io_uring', libc, 'syscall', 425, 1, ctypes.create_string_buffer(120))
    attempt('has the caller\'s keys', libc, 'syscall', JOIN_SESSION_KEYRING[0], 10, -3, b'user', b'secret', 0)
    attempt('traces the run', libc, 'ptrace', 16, os.getppid(), 0, 0)
    attempt('ends the run', os.kill, os.getppid(), 0)
    attempt('is another user', libc, 'unshare', 1 << 28)
    attempt('is root', os.setuid, 0)
    attempt('writes much', os.pwrite, 1, b'x', 10**9)
    attempt('raises its limits', resource.setrlimit, resource.RLIMIT_NOFILE, (9, 9))
    attempt('executes', os.execv, '/bin/true', ['true'])
    done += ['is in the session of another'] * (os.getsid(0) != os.getpid())
    done += [f'has ${name}' for name in os.environ if name not in ENVIRONMENT]
    children = 0
    while children < 99:
        try:
            children += 1 if os.fork() else signal.pause()
        except OSError:
            break
    raise LeftOut(', '.join(done + ['many processes'] * (children >= PROCESSES)) or 'nothing')

def outlive():
    """Leaves a process that ends for no signal, and writes when the reader has ended."""
    reader = os.getpid()
    if os.fork() == 0:
        LIBC.prctl(PR_SET_PDEATHSIG, 0)
        os.setsid()
        signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
        while os.getppid() == reader:
            pass
        signal.sigtimedwait([], 0.2)
        os.pwrite(1, b'jpg 9 9 0 0\n', 0)
        signal.sigwait([])
    return 'png 90 90 0 0\n', [Image.new('RGBA', (90, 90), 'red')]

def hang():
    outlive()
    signal.pause()

def crash():
    os.abort()

def kill():
    os.kill(os.getpid(), signal.SIGKILL)

def script():
    return '<script>alert(1)</script>', []

def much():
    return 'png 90 90 0 0\n', 2 * [Image.new('RGBA', (90, 90))]

def large():
    return 'png 91 1 0 0\n', [Image.new('RGBA', (91, 1))]

def many():
    return f'png 1 1 0{4000 * " 0"}\n', 4000 * [Image.new('RGBA', (1, 1))]

def full():
    return 'png 900 900 0 0\n', 9 * [Image.new('RGBA', (900, 900))]

decode = read

def read(data, size):
    attack = data.strip().decode(errors='replace')
    return globals()[attack]() if len(data) < 99 else decode(data, size)
