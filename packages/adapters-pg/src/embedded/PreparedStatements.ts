import * as Wire from "./Wire.js"

/** The Parse messages of the statements that a request prepares, by name. */
type Preparing = ReadonlyMap<string, Buffer>

/**
 * The prepared statements of the session that all connections share. Each connection prepares its statements as if it
 * had its own session. In this process a name stands for one text (`NamingClient`). So when the session has a statement
 * already, from another connection, this class removes the Parse message from the request. The driver does not miss the
 * answer, because `pg` ignores ParseComplete and CloseComplete.
 */
export class PreparedStatements {
  private readonly prepared = new Map<string, Buffer>()
  /** Names of statements that a failed request may or may not have prepared. */
  private readonly doubtful = new Set<string>()

  /** The messages of a request that the session must get, and the statements that these messages prepare. */
  needed(request: Buffer): { readonly messages: Buffer; readonly preparing: Preparing } {
    const kept: Array<Buffer> = []
    const preparing = new Map<string, Buffer>()
    for (const message of Wire.messages(request)) {
      const name = Wire.statementName(message)
      if (name === undefined || name === "") kept.push(message)
      else if (message[0] === Wire.Client.close) {
        // A connection closes a name that it marks as doubtful. When the session has prepared this name, another
        // connection may still use it, so the session does not get the message.
        if (!this.prepared.has(name)) kept.push(message)
      } else if (this.prepared.get(name)?.equals(message) !== true) {
        // The server refuses to prepare a name twice, so a name that may be prepared already (`doubtful`) is closed
        // first. Closing an unknown name is no error.
        if (this.doubtful.has(name)) kept.push(Wire.closeStatement(name))
        kept.push(message)
        // Copies the message, which is a view of the whole request.
        preparing.set(name, Buffer.from(message))
      }
    }
    return { messages: Buffer.concat(kept), preparing }
  }

  /** Notes what a request has prepared. After an error it is unknown which of its statements were prepared. */
  note(preparing: Preparing, hasFailed: boolean): void {
    for (const [name, message] of preparing) {
      if (hasFailed) {
        this.doubtful.add(name)
        continue
      }
      this.doubtful.delete(name)
      this.prepared.set(name, message)
    }
  }
}
