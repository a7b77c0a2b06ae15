def frame():
    try:
        raise ValueError
    except ValueError as error:
        return error.__traceback__.tb_frame
