import { createServer } from "node:http"

/** A substitute for a telemetry collector: it accepts everything and keeps nothing. */
process.once("message", ({ port }: { readonly port: number }) => {
  createServer((request, response) => {
    request.resume().once("end", () => response.end("{}"))
  }).listen(port, "127.0.0.1")
})
