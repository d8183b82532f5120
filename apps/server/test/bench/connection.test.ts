import { once } from "node:events"
import { type AddressInfo, createServer, type Socket } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { expect, it, onTestFinished } from "vitest"
import * as Connection from "../../bench/harness/load/Connection.js"

/** Starts a server that handles each request with `answer`, and opens a connection to it. */
const serving = async (answer: (socket: Socket, request: string) => unknown) => {
  const sockets: Array<Socket> = []
  const server = createServer((socket) => {
    sockets.push(socket.setNoDelay(true))
    socket.setEncoding("latin1").on("data", (request: string) => void answer(socket, request))
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  let fail: (error: Error) => void
  const failed = new Promise<Error>((resolve) => (fail = resolve))
  const connection = await Connection.open((server.address() as AddressInfo).port, (error) => fail(error))
  const ask = (request: string) =>
    new Promise<readonly [number, string]>((resolve) =>
      connection.send(request, (answer) => resolve([answer.status, answer.body()]))
    )
  onTestFinished(connection.close)
  return { connection, ask, failed }
}

it("answers come whole, one after the other, with and without a body", async () => {
  const answers: Record<string, string> = {
    first: "HTTP/1.1 200 OK\r\nx-length: 9\r\nContent-Length: 6\r\n\r\nhällo",
    second: "HTTP/1.1 204 No Content\r\ndate: now\r\n\r\n",
    third: "HTTP/1.1 503 Service Unavailable\r\ncontent-length:0\r\n\r\n"
  }
  const { ask } = await serving((socket, request) => socket.write(answers[request] ?? ""))
  expect(await ask("first")).toEqual([200, "hällo"])
  expect(await ask("second")).toEqual([204, ""])
  expect(await ask("third")).toEqual([503, ""])
})

it("an answer may come in pieces, also while another connection reads", async () => {
  const slowly = async (socket: Socket, request: string) => {
    const text = `HTTP/1.1 200 OK\r\ncontent-length: ${request.length}\r\n\r\n${request}`
    for (const piece of text.match(/.{1,7}/gs) ?? []) {
      socket.write(piece)
      await sleep(1)
    }
  }
  const [one, two] = [await serving(slowly), await serving(slowly)]
  const requests = ["a".repeat(90), "b".repeat(80)] as const
  const answered = await Promise.all([one.ask(requests[0]), two.ask(requests[1])])
  expect(answered).toEqual([
    [200, requests[0]],
    [200, requests[1]]
  ])
})

it("a connection that is closed instead of an answer has failed", async () => {
  const { connection, failed } = await serving((socket) =>
    socket.end("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhal")
  )
  connection.send("?", () => expect.fail("that was no whole answer"))
  expect((await failed).message).toBe("the server closed the connection")
})

it("an answer without a length fails: nobody would know where it ends", async () => {
  const { connection, failed } = await serving((socket) => socket.write("HTTP/1.1 200 OK\r\n\r\nhello"))
  connection.send("?", () => expect.fail("that was no whole answer"))
  expect((await failed).message).toContain("without a length")
})

it("what is thrown over an answer is a failure of the connection", async () => {
  const { connection, failed } = await serving((socket) => socket.write("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"))
  connection.send("?", () => {
    throw new Error("not what was asked for")
  })
  expect((await failed).message).toBe("not what was asked for")
})

it("where nobody listens there is no connection", async () => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, "close")
  await expect(Connection.open(port, () => undefined)).rejects.toThrow("ECONNREFUSED")
})
