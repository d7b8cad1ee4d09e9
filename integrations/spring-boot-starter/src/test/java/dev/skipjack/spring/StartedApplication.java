package dev.skipjack.spring;

import dev.skipjack.handlers.JobHandler;
import java.lang.management.ManagementFactory;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;

/** An application that starts, prints how long that took, and ends. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
class StartedApplication {

  /** The text that {@link #main} prints before the two times. */
  static final String STARTED = "Started in ns: ";

  static class Handlers {
    @JobHandler(kind = "nothing")
    void nothing(String job) {}
  }

  /** Handlers, with which the application has a worker. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnProperty("has-handlers")
  static class Worker {
    @Bean
    Handlers handlers() {
      return new Handlers();
    }
  }

  /** Connects to the database, as most applications do when they start. */
  @Bean
  InitializingBean connection(JdbcTemplate database) {
    return () -> database.queryForObject("SELECT 1", Integer.class);
  }

  /**
   * Prints the duration of the start and the processor time of the main thread, in nanoseconds.
   *
   * @param args the properties of the application
   */
  public static void main(String[] args) {
    long begin = System.nanoTime();
    SpringApplication.run(StartedApplication.class, args);
    long duration = System.nanoTime() - begin;
    long processor = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    System.out.println(STARTED + duration + " " + processor);
    Runtime.getRuntime().halt(0);
  }
}
