const { createServer } = require('node:http');
const [port, count] = process.argv.slice(2).map(Number);

createServer((request, response) => {
  response.writeHead(302, {
    'Location': `https://avatar.spacefox.fr/Renard-${1 + Math.floor(Math.random() * count)}.png`,
    'Cache-Control': 'private, no-store',
    'Content-Length': 0,
  }).end();
}).listen(port);
