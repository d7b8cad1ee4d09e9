package dev.skipjack.importing;

import org.quartz.DisallowConcurrentExecution;
import org.quartz.Job;
import org.quartz.JobExecutionContext;

/** A job of which Quartz runs one at a time. */
@DisallowConcurrentExecution
public class ExclusiveJob implements Job {

  /** Used by Quartz. */
  public ExclusiveJob() {}

  @Override
  public void execute(JobExecutionContext context) {}
}
