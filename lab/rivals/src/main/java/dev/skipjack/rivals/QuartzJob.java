package dev.skipjack.rivals;

import dev.skipjack.rivals.Contender.Starts;
import org.quartz.Job;
import org.quartz.JobExecutionContext;

/** The Quartz job. It is public because the library loads it by name. */
public final class QuartzJob implements Job {

  static final String NUMBER = "n";
  static final String TEXT = "text";

  private final Starts starts;

  QuartzJob(Starts starts) {
    this.starts = starts;
  }

  @Override
  public void execute(JobExecutionContext context) {
    starts.add(Long.parseLong(context.getTrigger().getJobDataMap().getString(NUMBER)));
  }
}
