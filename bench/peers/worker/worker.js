export default {
  fetch(request, { COUNT }) {
    return new Response(null, {
      status: 302,
      headers: {
        'Location': `https://avatar.spacefox.fr/Renard-${1 + Math.floor(Math.random() * COUNT)}.png`,
        'Cache-Control': 'private, no-store',
      },
    });
  },
};
