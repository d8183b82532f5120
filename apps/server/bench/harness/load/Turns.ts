/** How the people of one round are distributed among the clients. No two clients ever use the same person. */
export interface Turns {
  /** People have the numbers 0 to `people - 1`. */
  readonly people: number
  /**
   * The position in the order of turns where this round begins; absent: 0. `count`: how many people take part; absent:
   * all.
   */
  readonly from?: number
  readonly count?: number
}

/**
 * The difference between the numbers of two consecutive people. It is large, so that consecutive requests use rows far
 * apart in the tables. It is prime, so that every person is reached.
 */
const STRIDE = 7_919

/**
 * Returns a function that returns the number of the next person for one client. After the last person, the function
 * begins again with the first person.
 */
export const turns = ({ count, from = 0, people }: Turns, index: number, clients: number): (() => number) => {
  let at = index - clients
  return () => {
    at = at + clients < (count ?? people) ? at + clients : index
    return ((from + at) * STRIDE) % people
  }
}
