package dev.skipjack.rivals;

import java.util.function.LongConsumer;
import org.quartz.Job;
import org.quartz.JobExecutionContext;

/** The Quartz job. It is public because the library loads it by name. */
public final class QuartzJob implements Job {

  static final String NUMBER = "n";
  static final String TEXT = "text";

  private final LongConsumer jobs;

  QuartzJob(LongConsumer jobs) {
    this.jobs = jobs;
  }

  @Override
  public void execute(JobExecutionContext context) {
    jobs.accept(Long.parseLong(context.getTrigger().getJobDataMap().getString(NUMBER)));
  }
}
