import { createServer } from "node:http"

/** Stands in for a collector of telemetry: takes whatever comes, and keeps nothing. */
process.once("message", ({ port }: { readonly port: number }) => {
  createServer((request, response) => {
    request.resume().once("end", () => response.end("{}"))
  }).listen(port, "127.0.0.1")
})
