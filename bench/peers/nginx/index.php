<?php
ini_set('default_mimetype', ''); // no Content-Type without a body
header('Cache-Control: private, no-store');
header('Location: https://avatar.spacefox.fr/Renard-' . random_int(1, (int) $_SERVER['COUNT']) . '.png', true, 302);
