/** Whose turn it is: people of one round, shared out among the clients so that no two ever meet. */
export interface Turns {
  /** Numbers 0 to `people - 1` exist. */
  readonly people: number
  /** So many of them take part, the `from`th and those after it; left out: all. */
  readonly from?: number
  readonly count?: number
}

/** Neighbours in turn do not lie together in the tables. Prime, so that everybody is met once. */
const STRIDE = 7_919

/** Gives the number of the next person, over and over. */
export const turns = ({ count, from = 0, people }: Turns, index: number, clients: number): (() => number) => {
  let at = index - clients
  return () => {
    at = at + clients < (count ?? people) ? at + clients : index
    return ((from + at) * STRIDE) % people
  }
}
