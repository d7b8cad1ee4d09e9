package dev.skipjack.examples.spring;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** Starts the shop. */
@SpringBootApplication
public class SpringOrders {

  /** Takes Spring Boot's arguments, such as {@code --spring.datasource.url=jdbc:postgresql:...}. */
  public static void main(String[] arguments) {
    SpringApplication application = new SpringApplication(SpringOrders.class);
    application.addInitializers(new EmbeddedDatabase());
    application.run(arguments);
  }
}
