/**
 * Sets the clock of a process `CLOCK_SHIFT_MS` ahead of the machine's clock. The process loads this file with `node
 * --import`.
 */
const shift = Number(process.env.CLOCK_SHIFT_MS ?? "0")
const MachineDate = globalThis.Date

globalThis.Date = class Date extends MachineDate {
  constructor(...args) {
    if (args.length === 0) super(MachineDate.now() + shift)
    else super(...args)
  }

  static now() {
    return MachineDate.now() + shift
  }
}
