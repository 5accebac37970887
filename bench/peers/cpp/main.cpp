#include <arpa/inet.h>
#include <cstdio>
#include <cstdlib>
#include <netinet/in.h>
#include <random>
#include <sys/socket.h>
#include <unistd.h>

// One accept loop; SO_REUSEPORT lets one be started per core.
int main(int, char **argv) {
    std::minstd_rand random{std::random_device{}()};
    std::uniform_int_distribution<int> number{1, std::atoi(argv[2])};
    int server = socket(AF_INET, SOCK_STREAM, 0), on = 1;
    setsockopt(server, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(std::atoi(argv[1]));
    if (bind(server, reinterpret_cast<sockaddr *>(&address), sizeof address) || listen(server, SOMAXCONN)) return 1;
    char request[8192], answer[256]; // the request is read, so that closing does not reset the connection, and ignored
    for (;;) {
        int client = accept(server, nullptr, nullptr);
        if (read(client, request, sizeof request) > 0) {
            int length = std::snprintf(answer, sizeof answer,
                    "HTTP/1.1 302 Found\r\nLocation: https://avatar.spacefox.fr/Renard-%d.png\r\n"
                    "Cache-Control: private, no-store\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
                    number(random));
            if (write(client, answer, length) < 0) std::perror("write");
        }
        close(client);
    }
}
