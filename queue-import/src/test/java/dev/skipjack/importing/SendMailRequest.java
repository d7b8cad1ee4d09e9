package dev.skipjack.importing;

import java.util.List;
import org.jobrunr.jobs.lambdas.JobRequest;
import org.jobrunr.jobs.lambdas.JobRequestHandler;

/** A request of JobRunr, which loads it by name and therefore needs a public class. */
public record SendMailRequest(int number, List<String> to) implements JobRequest {

  @Override
  public Class<Handler> getJobRequestHandler() {
    return Handler.class;
  }

  /** Never runs, because the tests start no server. */
  public static final class Handler implements JobRequestHandler<SendMailRequest> {

    /** Used by JobRunr. */
    public Handler() {}

    @Override
    public void run(SendMailRequest request) {}
  }
}
