import { createSocket } from "node:dgram"

/**
 * Whether this machine has a route to an IPv4 address. To connect a UDP socket, the kernel only looks the route up:
 * nothing is sent, so no router on the way can report an error. The port is any port.
 */
export const hasRoute = (address: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = createSocket("udp4")
    const settle = (isFound: boolean) => () => {
      socket.close()
      resolve(isFound)
    }
    socket.once("error", settle(false))
    socket.once("connect", settle(true))
    socket.connect(443, address)
  })
