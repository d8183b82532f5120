// Prints the given number of ports of 127.0.0.1 on which no program listens: `node .ci/free-ports.mjs 3`.
import { createServer } from "node:net"

const servers = await Promise.all(
  Array.from(
    { length: Number(process.argv[2]) },
    () =>
      new Promise((resolve) => {
        const server = createServer()
        server.listen(0, "127.0.0.1", () => resolve(server))
      })
  )
)
console.log(servers.map((server) => server.address().port).join(" "))
for (const server of servers) server.close()
