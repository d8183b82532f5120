import { Effect } from "effect"
import type { Server } from "node:http"
import { CannotStart } from "../CannotStart.js"

export interface ListeningAddress {
  readonly host: string
  readonly port: number
}

/** The names of the environment variables that set the address. */
interface Variables {
  readonly host: string
  readonly port: string
}

/**
 * Makes the server accept connections on the address. When it cannot, the error names the variable that must be
 * changed.
 */
export const listen = (
  server: Server,
  address: ListeningAddress,
  variables: Variables
): Effect.Effect<void, CannotStart> =>
  Effect.async((resume) => {
    const refused = (error: NodeJS.ErrnoException) =>
      resume(new CannotStart({ message: explain(error, address, variables) }))
    server.once("error", refused)
    server.listen({ host: address.host, port: address.port }, () => {
      server.off("error", refused)
      resume(Effect.void)
    })
  })

const explain = (error: NodeJS.ErrnoException, { host, port }: ListeningAddress, variables: Variables): string => {
  switch (error.code) {
    case "EADDRINUSE":
      return `Port ${port} of ${host} is in use by another program: choose another port with ${variables.port}.`
    case "EACCES":
      return `Port ${port} may not be used by this user: choose one above 1023 with ${variables.port}.`
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `${variables.host} is no address of this machine: 127.0.0.1 or 0.0.0.0 will do.`
    default:
      return `Nothing can listen where ${variables.host} and ${variables.port} say: ${error.code ?? "for no known reason"}.`
  }
}
