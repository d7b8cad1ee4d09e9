package dev.skipjack.rivals;

import dev.skipjack.rivals.Contender.Starts;
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

    private final Starts starts;

    Handler(Starts starts) {
      this.starts = starts;
    }

    @Override
    public void run(JobRunrJob job) {
      starts.add(job.n());
    }
  }
}
