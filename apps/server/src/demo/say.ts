/** The output of the demo's tour through the service. */

// Whether the terminal can show colors. `hasColors` is also false when the variable NO_COLOR is set.
const isColoured = process.stdout.isTTY && process.stdout.hasColors()
const style = (code: number) => (text: string) => (isColoured ? `\u001b[${code}m${text}\u001b[0m` : text)

export const bold = style(1)
export const dim = style(2)
export const green = style(32)
export const red = style(31)

const WIDTH = 18

let steps = 0

/** Prints a numbered step: who does what. */
export const step = (who: string, what: string): void => {
  steps += 1
  line(`\n${bold(`${steps}.`)} ${bold(who)} ${what}`)
}

/** Prints a fact about the last step. */
export const fact = (name: string, value: string): void => line(`     ${dim(name.padEnd(WIDTH))}${value}`)

export const line = (text: string): void => console.log(text)

/** A time such as `10:04:31`, in UTC. */
export const clockTime = (iso: string): string => iso.slice(11, 19)
