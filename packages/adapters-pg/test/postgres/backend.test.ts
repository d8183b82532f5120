import { Backend } from "@place-access/adapters-pg/postgres/Backend"
import { FastCheck as fc } from "effect"
import { expect, it } from "vitest"

const message = (type: number, body: Uint8Array): Buffer => {
  const head = Buffer.from([type, 0, 0, 0, 0])
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

const stream = fc.array(fc.record({ type: fc.integer({ min: 65, max: 70 }), body: fc.uint8Array({ maxLength: 20 }) }))

it("messages come whole and in order, in whatever pieces the bytes come; what is not taken is passed on as it came", () => {
  fc.assert(
    fc.property(stream, fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 }), (messages, cuts) => {
      const heard: Array<readonly [type: number, body: Buffer]> = []
      const backend = new Backend((type, bytes, start, end) => {
        if (type % 2 === 0) return false
        heard.push([type, Buffer.from(bytes.subarray(start, end))])
        return true
      })
      backend.others.on("data", (bytes: Buffer) => heard.push([bytes[0] ?? 0, Buffer.from(bytes.subarray(5))]))
      const all = Buffer.concat(messages.map(({ body, type }) => message(type, body)))
      for (let [at, turn] = [0, 0]; at < all.length; turn++) {
        const length = cuts[turn % cuts.length] ?? 1
        backend.read(Buffer.from(all.subarray(at, at + length)))
        at += length
      }
      expect(heard).toEqual(messages.map(({ body, type }) => [type, Buffer.from(body)]))
    })
  )
})
