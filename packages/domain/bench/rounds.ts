const WARM_UP = 4
const ROUNDS = 7

/** Milliseconds of each in each round. They take turns, so that whatever else the machine does meets all alike. */
export const alternate = <const T extends ReadonlyArray<() => unknown>>(
  tasks: T
): ReadonlyArray<{ readonly [K in keyof T]: number }> => {
  const round = () => tasks.map(timed) as { [K in keyof T]: number }
  for (let count = 0; count < WARM_UP; count++) round()
  return Array.from({ length: ROUNDS }, round)
}

const timed = (task: () => unknown): number => {
  const start = performance.now()
  task()
  return performance.now() - start
}

export const median = (numbers: ReadonlyArray<number>): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN
