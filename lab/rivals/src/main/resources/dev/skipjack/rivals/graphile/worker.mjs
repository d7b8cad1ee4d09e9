// Runs graphile-worker for the comparison. The first two lines of standard input are the URL of the database and the
// schema. "work" then starts a worker, which prints "ready", and "stop" stops it, which prints "stopped". In between, the
// program prints a line for each job: its number and when it began, in microseconds since 1970. The settings are those of
// the benchmark in the library's documentation. The process and its connections are used by all workers in turn, as those
// of the other libraries are.
import { createInterface } from "node:readline";
import pg from "pg";
import { Logger, run, runMigrations } from "graphile-worker";

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const connectionString = (await lines.next()).value;
const schema = (await lines.next()).value;
const logger = new Logger(() => (level, message) => {
  if (level === "error") {
    console.error(message);
  }
});
const preset = {
  worker: {
    connectionString,
    schema,
    concurrentJobs: 24,
    maxPoolSize: 25,
    localQueue: { size: 500 },
    completeJobBatchDelay: 0,
    failJobBatchDelay: 0,
    logger,
  },
};

if (process.argv[2] === "migrate") {
  await runMigrations({ preset });
  process.exit(0);
}

let began = "";
function print() {
  process.stdout.write(began);
  began = "";
}
const pgPool = new pg.Pool({ connectionString, max: 25, idleTimeoutMillis: 0 });
let runner;
for (let line = await lines.next(); !line.done; line = await lines.next()) {
  if (line.value === "work") {
    runner = await run({
      preset,
      pgPool,
      noHandleSignals: true,
      taskList: {
        noop({ n }) {
          if (began === "") {
            setImmediate(print);
          }
          began += `${n} ${Math.round((performance.timeOrigin + performance.now()) * 1000)}\n`;
        },
      },
    });
    process.stdout.write("ready\n");
  } else {
    await runner.stop();
    process.stdout.write("stopped\n");
  }
}
process.exit(0);
