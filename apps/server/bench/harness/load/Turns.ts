/** How the people of one round are distributed among the clients. No two clients ever use the same person. */
export interface Turns {
  /** People have the numbers 0 to `people - 1`. */
  readonly people: number
  /** Only `count` people take part, beginning with the `from`th; left out: all people. */
  readonly from?: number
  readonly count?: number
}

/**
 * The step between two people, so that consecutive requests use rows far apart in the tables. It is prime, so that the
 * steps reach every person.
 */
const STRIDE = 7_919

/** Returns a function that returns the next person's number for one client, and starts again after the last person. */
export const turns = ({ count, from = 0, people }: Turns, index: number, clients: number): (() => number) => {
  let at = index - clients
  return () => {
    at = at + clients < (count ?? people) ? at + clients : index
    return ((from + at) * STRIDE) % people
  }
}
