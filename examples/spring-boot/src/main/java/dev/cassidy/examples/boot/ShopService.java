package dev.cassidy.examples.boot;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** Sells books, whose ids Cassidy gives. {@code spring.datasource.url} is all that it is told. */
@SpringBootApplication
@RestController
public class ShopService {

    private final Books books;

    ShopService(Books books) {
        this.books = books;
    }

    public static void main(String[] args) {
        SpringApplication.run(ShopService.class, args);
    }

    @PostMapping("/books")
    Book add(@RequestBody Book book) {
        return books.save(book);
    }

    @GetMapping("/books/{id}")
    Book get(@PathVariable int id) {
        return books.findById(id).orElseThrow();
    }
}
