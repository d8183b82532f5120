import { request } from "node:http"
import type { Answer } from "./client.js"

const MIB = 1_048_576

/**
 * Sends a JSON text of `mebibytes` MiB, chunk by chunk. If the server answers and then closes the connection, the
 * answer counts.
 */
export const sendOversized = (
  url: string,
  {
    mebibytes,
    token,
    withLength
  }: { readonly mebibytes: number; readonly token?: string; readonly withLength: boolean }
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const outgoing = request(url, {
      method: "POST",
      agent: false,
      headers: {
        "content-type": "application/json",
        origin: new URL(url).origin,
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(withLength ? { "content-length": mebibytes * MIB } : { "transfer-encoding": "chunked" })
      }
    })
    outgoing.on("response", (incoming) => {
      let text = ""
      const answer = () =>
        resolve({
          status: incoming.statusCode ?? 0,
          headers: new Headers(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)])),
          text,
          json: JSON.parse(text) as unknown
        })
      incoming.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
      incoming.once("end", answer)
    })
    outgoing.on("error", reject)
    // The body consists of spaces. They are a valid beginning of JSON, so only the size of the body is wrong.
    const chunk = Buffer.alloc(MIB / 4, " ")
    let left = mebibytes * 4
    const write = (): void => {
      while (left > 0 && !outgoing.destroyed) {
        left -= 1
        if (!outgoing.write(chunk)) return void outgoing.once("drain", write)
      }
      if (left === 0) outgoing.end()
    }
    write()
  })
