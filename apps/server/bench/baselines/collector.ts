import { createServer } from "node:http"

/** A stand-in for a telemetry collector: accepts everything and keeps nothing. */
process.once("message", ({ port }: { readonly port: number }) => {
  createServer((request, response) => {
    request.resume().once("end", () => response.end("{}"))
  }).listen(port, "127.0.0.1")
})
