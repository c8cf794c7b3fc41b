-- The tables that H2 spells differently: it knows neither CLUSTERED nor an INDEX in CREATE TABLE.
CREATE TABLE [dbo].[category] (
    [category_code] NVARCHAR(10) NOT NULL,
    [name] NVARCHAR(60) NOT NULL,
    [sort_order] SMALLINT NOT NULL DEFAULT ((0)),
    CONSTRAINT [pk_category] PRIMARY KEY ([category_code])
)
GO
CREATE TABLE dbo.product (
    product_id INT IDENTITY(1,1) NOT NULL PRIMARY KEY,
    category_code NVARCHAR(10) NOT NULL,
    name NVARCHAR(80) NOT NULL,
    description NVARCHAR(255) NULL,
    CONSTRAINT fk_product_category FOREIGN KEY (category_code) REFERENCES dbo.category (category_code)
)
GO
