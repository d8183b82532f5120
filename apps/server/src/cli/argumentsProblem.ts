/**
 * Says in one line what is wrong with the arguments that `parseArgs` of Node.js refused. For a value that begins with a
 * dash, Node.js throws an error of three lines.
 */
export const argumentsProblem = (error: unknown): string => {
  const message = error instanceof Error ? error.message : String(error)
  const [, option] = /^Option '([^']+)' argument is ambiguous/.exec(message) ?? []
  return option === undefined
    ? `${message}.`
    : `The value of ${option} is missing or begins with a dash. Write ${option}=VALUE.`
}
