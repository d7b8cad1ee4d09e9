package dev.skipjack.importing;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import org.quartz.Job;
import org.quartz.JobExecutionContext;

/** A job of Quartz, which creates it and therefore needs a public class. It counts its runs. */
public class SendInvoiceJob implements Job {

  static final Map<Integer, Integer> RUNS = new ConcurrentHashMap<>();
  static final Semaphore STARTED = new Semaphore(0);

  /** Jobs wait for it before they run. */
  static volatile CountDownLatch gate = new CountDownLatch(0);

  /** Used by Quartz. */
  public SendInvoiceJob() {}

  @Override
  public void execute(JobExecutionContext context) {
    STARTED.release();
    try {
      gate.await();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
    RUNS.merge(context.getMergedJobDataMap().getInt("number"), 1, Integer::sum);
  }
}
