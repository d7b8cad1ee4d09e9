package dev.skipjack.rivals;

import java.util.function.LongConsumer;
import org.jobrunr.jobs.lambdas.JobRequest;
import org.jobrunr.jobs.lambdas.JobRequestHandler;

/** A JobRunr job. It is public because the library loads it by name. */
public record JobRunrJob(long n, String text) implements JobRequest {

  static JobRunrJob number(long n) {
    return new JobRunrJob(n, Payload.number(n).text());
  }

  @Override
  public Class<Handler> getJobRequestHandler() {
    return Handler.class;
  }

  /** Runs the jobs. */
  public static final class Handler implements JobRequestHandler<JobRunrJob> {

    private final LongConsumer jobs;

    Handler(LongConsumer jobs) {
      this.jobs = jobs;
    }

    @Override
    public void run(JobRunrJob job) {
      jobs.accept(job.n());
    }
  }
}
