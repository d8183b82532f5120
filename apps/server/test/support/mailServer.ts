import type { AddressInfo } from "node:net"
import { SMTPServer } from "smtp-server"

export interface Letter {
  readonly to: string
  readonly raw: string
}

/** A mail server that accepts every message. */
export const startMailServer = async () => {
  const letters: Array<Letter> = []
  const server = new SMTPServer({
    disabledCommands: ["STARTTLS", "AUTH"],
    disableReverseLookup: true,
    logger: false,
    onData: (stream, session, done) => {
      const chunks: Array<Buffer> = []
      stream.on("data", (chunk: Buffer) => chunks.push(chunk))
      stream.on("end", () => {
        const raw = Buffer.concat(chunks).toString("utf8").replace(/=\r\n/g, "")
        letters.push({ to: session.envelope.rcptTo.map(({ address }) => address).join(), raw })
        done()
      })
    }
  })
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
  return {
    letters,
    settings: {
      SMTP_URL: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
      MAIL_FROM: "Places <no-reply@places.example>"
    },
    close: () => new Promise<void>((resolve) => server.close(() => resolve()))
  }
}
