import * as Goal from "../harness/Goal.js"
import * as People from "../harness/People.js"
import * as Phones from "../harness/Phones.js"
import type { Row, Side } from "../harness/Row.js"
import type * as PhonesLoad from "./phones.load.js"

/** The number of phones. Hardly any person has as many phones. Each phone sends one upload after the other. */
const PHONES = 20
const SECONDS = 3

/**
 * Compares 20 phones of one person that upload at the same time with one phone alone, and with 20 phones of 20 people.
 */
export const phones: Row = {
  name: "phones",
  path: "20 phones of one person upload at once, beside one phone alone",
  seconds: 50,
  open: async (bench) => {
    // The number of rounds, with the warm-up round. In each round, each side uses other people, who have uploaded
    // nothing before.
    const rounds = bench.rounds + 1
    const people = rounds * (PHONES + 2)
    const scratch = await bench.scratch(async (empty) => {
      await Phones.seed(empty, people, (n) => `https://hooks.example.com/${n}`)
      await People.seedPhones(empty, { count: people, phones: PHONES })
    })
    const server = await bench.server(scratch)
    let next = 0
    const side =
      (clients: number, people: number): Side =>
      () => {
        const options: PhonesLoad.Options = { from: next, people, startMs: Date.now() - Phones.BEHIND_MS }
        next += people
        return bench.load([server.running], {
          script: new URL("phones.load.ts", import.meta.url),
          options,
          ports: [server.port],
          clients,
          seconds: SECONDS
        })
      }
    return [
      {
        product: side(PHONES, 1),
        baseline: side(1, 1),
        peers: { "20 people": side(PHONES, PHONES) },
        goals: [Goal.p95Ratio(3)]
      }
    ]
  }
}
