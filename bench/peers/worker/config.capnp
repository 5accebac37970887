# the words between @ are filled in by bench/run
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [(name = "avatar", worker = (
    modules = [(name = "worker", esModule = embed "worker.js")],
    bindings = [(name = "COUNT", json = "@COUNT@")],
    compatibilityDate = "2026-11-01",
  ))],
  sockets = [(name = "http", address = "*:@PORT@", http = (), service = "avatar")],
);
