import { beforeEach } from "vitest"
import { breath } from "./breath.js"

/**
 * Vitest ends a worker process that sends no message for a minute. On a busy machine, thousands of properties, one
 * after the other, leave the process no time to send messages. So each test begins with a pause for messages.
 */
beforeEach(breath)
